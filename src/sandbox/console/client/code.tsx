import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { coverTokens } from '../../words/tokens.js';
import { Action, Copy } from './widgets.js';

/** The longest text that is shown whole, in characters. */
const maxCode = 20_000;

/** Header fields as lines. */
export const headerText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);

interface CodeProps {
  readonly title: string;
  /** Text, or a value to show as JSON. */
  readonly value: unknown;
}

/** A text to read, its tokens and secrets covered until they are asked for. */
export function Code({ title, value }: CodeProps) {
  const [shown, setShown] = useState(false);
  const parsed = jsonOf(value);
  const safe = textOf(coverTokens(parsed));
  const whole = textOf(parsed);
  return (
    <Pre title={title} copied={textOf(value)} shown={shown ? whole : safe}>
      {safe !== whole && (
        <Action kind="quiet" run={() => setShown(!shown)} text={shown ? 'Hide token' : 'Show token'} />
      )}
    </Pre>
  );
}

interface PreProps {
  readonly title: string;
  readonly shown: string;
  /** What the clipboard receives: the whole, where something is covered on the page. */
  readonly copied: string;
  readonly children?: ComponentChildren;
}

/** Text to copy. It scrolls, and so must be reachable by keyboard. */
export function Pre({ title, shown, copied, children }: PreProps) {
  const rest = shown.length - maxCode;
  return (
    <section class="code">
      <header class="bar">
        <h3>{title}</h3>
        {children}
        <Copy text={copied} label={`Copy: ${title}`} />
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a text is no group of form fields */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre role="group" tabIndex={0} aria-label={title}>
        {rest > 0 ? `${shown.slice(0, maxCode)}… (${rest.toLocaleString('en')} more characters)` : shown}
      </pre>
    </section>
  );
}

/** JSON that came as text is shown as JSON. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
