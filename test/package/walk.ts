import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import ts from 'typescript';
import type { CodeBlock } from '../docs/pages.js';
import { type Language, promisesOf, unkept } from '../docs/promised-output.js';
import { Program } from '../support/program.js';
import { freePort } from '../support/sockets.js';
import { root } from './consumer.js';

/** Goes through a guide as its reader does: copies each block into a file of an empty folder, and runs what the guide says is to be run. */

const patience = 30_000;
const webhookSecret = 'whsec_0123456789abcdef0123456789abcdef';

/** Whether a program listens on a port. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Whether plain Node can run the code of a TypeScript block: it has no types. */
const isJavaScript = (code: string): boolean =>
  ts.transpileModule(code, { reportDiagnostics: true, fileName: 'block.mjs' }).diagnostics?.length === 0;

const fileMark = /^[\w-]+\.mjs$/;

/** Calls the route handler that a block exports, as the service would. */
const deliveryTo = (file: string): string => `import { signWebhook } from 'billpay/webhooks';
import { POST } from './${file}';
const body = JSON.stringify({ event: 'transaction.completed', data: { reference: 'TXN-1', status: 'success', token: null } });
const headers = signWebhook({ body, secret: process.env.BILLPAY_WEBHOOK_SECRET });
const { status } = await POST(new Request('https://shop.example/webhooks', { method: 'POST', body, headers }));
if (status !== 200) throw new Error('the receiver responded with ' + status);
process.exit();
`;

/** A sandbox on a free port, which any number of pages may share, and the port on which its receivers listen. */
export class GuideSandbox {
  readonly #program: Program;

  private constructor(
    program: Program,
    readonly port: string,
    readonly receiverPort: string,
  ) {
    this.#program = program;
  }

  static async start(consumer: string): Promise<GuideSandbox> {
    const [port, receiverPort] = [String(await freePort()), String(await freePort())];
    const url = `http://localhost:${receiverPort}/webhooks/billpay`;
    const program = new Program(
      join(consumer, 'node_modules/.bin/billpay'),
      ['sandbox', '--port', port, '--webhook-url', url],
      { cwd: consumer, env: { PATH: String(process.env['PATH']), HOME: consumer }, alone: true },
    );
    await program.prints(/^BILLPAY_WEBHOOK_SECRET=.*$/m);
    return new GuideSandbox(program, port, receiverPort);
  }

  /** The lines that it prints for a file .env. */
  get variables(): readonly string[] {
    return this.#program.printed.match(/^BILLPAY_\w+=.*$/gm) ?? [];
  }

  /** Throws where the books of the sandbox are wrong. */
  async audit(): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.port}/_sandbox/audit`);
    const { ok, problems } = (await response.json()) as { ok: boolean; problems: unknown[] };
    if (!ok) throw new Error(`the books are wrong: ${JSON.stringify(problems)}`);
  }

  async close(): Promise<void> {
    await this.#program.end();
  }
}

export interface WalkOptions {
  /** Run the files that a page names by tsx, as TypeScript, and not by plain Node. */
  readonly tsx?: boolean;
}

/** One page in a folder of its own. */
export class Walk {
  readonly #folder: string;
  readonly #tsx: boolean;
  readonly #programs: Program[] = [];
  /** The files that the page named, with what each promises to print. */
  readonly #promises = new Map<string, readonly string[]>();
  readonly #receiverPort: string;
  readonly #ports: readonly (readonly [said: RegExp, taken: string])[];
  readonly #environment: Readonly<Record<string, string>>;

  constructor(consumer: string, sandbox: GuideSandbox, page: string, { tsx = false }: WalkOptions = {}) {
    this.#tsx = tsx;
    this.#folder = join(consumer, 'walks', `${page.replace(/\W/g, '-')}${tsx ? '-tsx' : ''}`);
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, '.env'), `${sandbox.variables.join('\n')}\n`);
    this.#receiverPort = sandbox.receiverPort;
    this.#ports = [
      [/\b4010\b/g, sandbox.port],
      [/\b3000\b/g, sandbox.receiverPort],
    ];
    this.#environment = {
      PATH: [join(consumer, 'node_modules/.bin'), join(root, 'node_modules/.bin'), process.env['PATH']].join(
        ':',
      ),
      HOME: this.#folder,
      BILLPAY_SANDBOX_URL: `http://127.0.0.1:${sandbox.port}`,
    };
  }

  /** Follows one block: saves it, runs it, or both. Throws with the output where something is not as the page says. */
  async follow(block: CodeBlock): Promise<void> {
    const { language, marks, line } = block;
    const code = this.#withPorts(block.code);
    const name = marks.find((mark) => fileMark.test(mark));
    if (marks.includes('load')) await this.#load(`load-${line}`, code);
    if (name !== undefined) {
      this.#save(this.#tsx ? name.replace('.mjs', '.mts') : name, code, promisesOf(code, 'ts'));
    } else if (language === 'sh') {
      if (marks.includes('run')) await this.#shell(code);
      else if (marks.includes('background') && !/^npx billpay[- ]sandbox$/m.test(code))
        await this.#background(code);
    } else if (marks.includes('run')) {
      await this.#block(language, `block-${line}`, code);
    }
  }

  /** Checks what programs in the background have promised. */
  async end(): Promise<void> {
    for (const { program, promised } of this.#inBackground) {
      await this.#until(() => unkept(promised, program.printed).length === 0, program);
    }
  }

  /** Ends every program that the page started. */
  async close(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.end()));
  }

  readonly #inBackground: { readonly program: Program; readonly promised: readonly string[] }[] = [];

  #withPorts(code: string): string {
    return this.#ports.reduce((text, [said, taken]) => text.replace(said, taken), code);
  }

  #save(name: string, code: string, promised: readonly string[]): void {
    writeFileSync(join(this.#folder, name), code);
    this.#promises.set(name, promised);
  }

  /** A block that runs by itself, by what its language and its imports need. */
  async #block(language: string, name: string, code: string): Promise<void> {
    if (language === 'python') return this.#file(`${name}.py`, code, 'python3', 'python');
    if (language === 'js') return this.#file(`${name}.cjs`, code, 'node --env-file=.env', 'ts');
    if (/from 'vitest'/.test(code)) return this.#file(`${name}.test.ts`, code, 'vitest run --root .', 'ts');
    const plain = isJavaScript(code);
    const file = `${name}.${plain ? 'mjs' : 'mts'}`;
    const command = plain ? 'node --env-file=.env' : 'tsx --env-file=.env';
    if (!/^export const POST\b/m.test(code)) return this.#file(file, code, command, 'ts');
    this.#save(file, code, promisesOf(code, 'ts'));
    writeFileSync(join(this.#folder, `deliver-${name}.mjs`), deliveryTo(file));
    return this.#run(
      `BILLPAY_WEBHOOK_SECRET=${webhookSecret} ${command} deliver-${name}.mjs`,
      this.#promises.get(file) ?? [],
    );
  }

  /** Imports a module where there is no secret, as `next build` does. */
  #load(name: string, code: string): Promise<void> {
    const plain = isJavaScript(code);
    const file = `${name}.${plain ? 'mjs' : 'mts'}`;
    this.#save(file, code, []);
    return this.#run(
      `${plain ? 'node' : 'tsx'} --input-type=module -e "await import('./${file}'); process.exit()"`,
      [],
    );
  }

  #file(file: string, code: string, command: string, language: Language): Promise<void> {
    this.#save(file, code, promisesOf(code, language));
    return this.#run(`${command} ${file}`, this.#promises.get(file) ?? []);
  }

  /** The commands of a block, each as it is; `npx` runs what is installed. */
  async #shell(code: string): Promise<void> {
    await this.#run(`set -eo pipefail\nnpx() { "$@"; }\n${this.#asTsx(code)}`, this.#promisedBy(code));
  }

  async #background(code: string): Promise<void> {
    const program = this.#start(`exec ${this.#asTsx(code).replace(/^npx /, '')}`);
    this.#inBackground.push({ program, promised: this.#promisedBy(code) });
    // The programs of the guides say nothing when they are ready, and all of them listen on this port.
    await this.#until(() => accepts(Number(this.#receiverPort)), program);
  }

  #asTsx(code: string): string {
    return this.#tsx ? code.replace(/^node (.*)\.mjs$/gm, 'tsx $1.mts') : code;
  }

  /** What the files that a command line names promise to print. */
  #promisedBy(code: string): readonly string[] {
    const command = this.#asTsx(code);
    return [...this.#promises].filter(([file]) => command.includes(file)).flatMap(([, promised]) => promised);
  }

  async #run(command: string, promised: readonly string[]): Promise<void> {
    const program = this.#start(command);
    const timeout = setTimeout(() => program.signal('SIGKILL'), patience);
    const end = await program.ended;
    clearTimeout(timeout);
    if (end !== 0) throw new Error(`${command}\nended with ${end}:\n${program.printed}`);
    const missing = unkept(promised, program.printed);
    if (missing.length > 0)
      throw new Error(`${command}\ndid not print ${missing.join(', ')}, but:\n${program.printed}`);
  }

  #start(command: string): Program {
    const options = { cwd: this.#folder, env: this.#environment, alone: true };
    const program = new Program('bash', ['-c', command], options);
    this.#programs.push(program);
    return program;
  }

  async #until(holds: () => boolean | Promise<boolean>, program: Program): Promise<void> {
    const end = Date.now() + patience;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`waited for ${patience} ms; the output was:\n${program.printed}`);
      await wait(50);
    }
  }
}
