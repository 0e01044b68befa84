import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from './widgets.js';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

export function Field({ label, hint, wide, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class={wide ? 'field wide' : 'field'}>
      <span>{label}</span>
      {children}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly name: string;
  /** Values, each with its label where that is another text. */
  readonly options: readonly (string | readonly [value: string, label: string])[];
  readonly chosen?: string | undefined;
  readonly wide?: boolean;
  readonly onChoose?: (value: string) => void;
}

/** A choice of a form. Where another value is chosen from outside, or there are other options, it begins anew. */
export function ChoiceField({ label, name, options, chosen, wide, onChoose }: ChoiceFieldProps) {
  const pairs = options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
  return (
    <Field label={label} {...(wide && { wide })}>
      <select
        name={name}
        key={`${chosen} ${pairs.map(([value]) => value).join()}`}
        onChange={(event) => onChoose?.(event.currentTarget.value)}
      >
        {pairs.map(([value, text]) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface FormProps {
  readonly name: string;
  readonly submit: string;
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly more?: ComponentChildren;
}

/** A form that says what went wrong beside its buttons. Empty fields are left out; a button with a name is a field. */
export function Form({ name, submit, onSubmit, children, more }: FormProps) {
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const given = [...new FormData(event.currentTarget, event.submitter)].filter(([, value]) => value !== '');
    setBusy(true);
    setProblem('');
    try {
      await onSubmit(Object.fromEntries(given.map(([field, value]) => [field, String(value).trim()])));
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form aria-label={name} onSubmit={send}>
      <div class="fields">{children}</div>
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={busy ? 'true' : undefined}>
          {submit}
        </button>
        {more}
      </div>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
