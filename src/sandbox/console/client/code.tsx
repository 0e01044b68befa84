import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { coverTokens } from '../../words/tokens.js';
import { Copy } from './widgets.js';

/** The longest text that is shown whole, in characters. */
const maxCode = 20_000;

interface CodeProps {
  readonly title: string;
  /** Text, or a value to show as JSON. */
  readonly value: unknown;
  readonly actions?: ComponentChildren;
}

/** A text to read, its tokens and secrets covered until they are asked for. */
export function Code({ title, value, actions }: CodeProps) {
  const [shown, setShown] = useState(false);
  const parsed = jsonOf(value);
  const safe = coverTokens(parsed);
  const hasSecret = JSON.stringify(safe) !== JSON.stringify(parsed);
  const visible = shown ? parsed : safe;
  const text = typeof visible === 'string' ? visible : JSON.stringify(visible, undefined, 2);
  const rest = text.length - maxCode;
  return (
    <section class="code">
      <header>
        <h3>{title}</h3>
        {hasSecret && (
          <button type="button" class="quiet" onClick={() => setShown(!shown)}>
            {shown ? 'Hide token' : 'Show token'}
          </button>
        )}
        {actions}
        <Copy
          text={typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}
          label={`Copy: ${title}`}
        />
      </header>
      <Pre title={title}>
        {rest > 0 ? `${text.slice(0, maxCode)}… (${rest.toLocaleString('en')} more characters)` : text}
      </Pre>
    </section>
  );
}

/** Text that scrolls, and so must be reachable by keyboard. */
export function Pre({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a text is no group of form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <pre role="group" tabIndex={0} aria-label={title}>
      {children}
    </pre>
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
