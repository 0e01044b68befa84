import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRun } from './widgets.js';

/** A field of a form: a choice where it has options, else what is typed. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly wide?: boolean;
  /** What it begins with. */
  readonly value?: string | undefined;
  /** Values, each with its label where that is another text. */
  readonly options?: readonly (string | readonly [value: string, label: string])[];
  readonly onChoose?: (value: string) => void;
  readonly type?: 'number' | 'url' | 'password';
  readonly min?: number;
  readonly step?: number;
  readonly required?: boolean;
  readonly placeholder?: string;
}

/** How money is entered. */
export const amountField = {
  name: 'amount',
  label: 'Amount, NGN',
  type: 'number',
  min: 0.01,
  step: 0.01,
  required: true,
} as const;

/** How a number of things is entered. */
export const countField = { type: 'number', min: 1, step: 1, value: '1' } as const;

/** What a form holds: the fields that are not empty. */
export type Values = Readonly<Record<string, string>>;

function FieldInput({ label, hint, wide, options, value, onChoose, ...input }: Field) {
  const pairs = options?.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class={wide ? 'field wide' : 'field'}>
      <span class="label">{label}</span>
      {pairs ? (
        <select
          name={input.name}
          // Where another value is chosen from outside, or there are other options, it begins anew.
          key={`${value} ${pairs.join()}`}
          onChange={(event) => onChoose?.(event.currentTarget.value)}
        >
          {pairs.map(([one, text]) => (
            <option key={one} value={one} selected={one === value}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input {...input} defaultValue={value ?? ''} autocomplete="off" />
      )}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}

interface FormProps {
  readonly name: string;
  readonly submit: string;
  readonly fields: readonly Field[];
  readonly onSubmit: (values: Values) => Promise<unknown>;
  /** Further buttons. */
  readonly more?: ComponentChildren;
  /** What came of it, in place of the buttons. */
  readonly result?: ComponentChildren;
}

/** A form that says what went wrong beside its buttons. Empty fields are left out; a button with a name is a field. */
export function Form({ name, submit, fields, onSubmit, more, result }: FormProps) {
  const [problem, setProblem] = useState('');
  const { isBusy, run } = useRun(setProblem);
  const send = (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = [...new FormData(event.currentTarget, event.submitter)]
      .map(([field, value]) => [field, String(value).trim()])
      .filter(([, value]) => value !== '');
    void run(() => {
      setProblem('');
      return onSubmit(Object.fromEntries(given));
    });
  };
  return (
    <form aria-label={name} onSubmit={send}>
      <div class="fields">
        {fields.map((field) => (
          // What begins with another value begins anew, unless it is a choice, which keeps the focus.
          <FieldInput key={`${field.name} ${field.options ? '' : field.value}`} {...field} />
        ))}
      </div>
      {result ?? (
        <div class="bar">
          <button type="submit" class="main" aria-disabled={isBusy || undefined}>
            {submit}
          </button>
          {more}
        </div>
      )}
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
