/** Comments beside `console.log(…)` and `print(…)` say what a code block prints, one line a call; `…` stands for any text. */

/** The languages whose blocks say what they print. */
export type Language = 'ts' | 'python';

const calls: Readonly<Record<Language, RegExp>> = {
  ts: /console\.log\(.*\); \/\/ (.*)$/gm,
  python: /\bprint\(.*\) {2}# (.*)$/gm,
};

/** What a block says that it prints. */
export const promisesOf = (code: string, language: Language): string[] =>
  [...code.matchAll(calls[language])].map(([, output = '']) => output);

/** Whether a line is what the comment says. */
function isAsPromised(line: string, promised: string): boolean {
  const literal = promised.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's').test(line);
}

/** The promises that no line of an output keeps, in their order. */
export function unkept(promised: readonly string[], output: string): string[] {
  const lines = output.split('\n');
  let from = 0;
  return promised.filter((promise) => {
    const at = lines.findIndex((line, index) => index >= from && isAsPromised(line, promise));
    if (at < 0) return true;
    from = at + 1;
    return false;
  });
}
