import { jsonOf } from './api.js';
import { Copy } from './widgets.js';

/** The longest text that is shown whole, in characters. */
const maxCode = 20_000;

/** Header fields as lines. */
export const headerText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

interface CodeProps {
  readonly title: string;
  /** Text, or a value to show as JSON, also where JSON came as text. */
  readonly value: unknown;
}

/** A text to read and to copy. It scrolls, and so must be reachable by keyboard. */
export function Code({ title, value }: CodeProps) {
  const shown = jsonOf(value);
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown, undefined, 2);
  const rest = text.length - maxCode;
  return (
    <section class="code">
      <header class="bar">
        <h3>{title}</h3>
        <Copy text={typeof value === 'string' ? value : text} label={`Copy: ${title}`} />
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a text is no group of form fields */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre role="group" tabIndex={0} aria-label={title}>
        {rest > 0 ? `${text.slice(0, maxCode)}… (${rest.toLocaleString('en')} more characters)` : text}
      </pre>
    </section>
  );
}
