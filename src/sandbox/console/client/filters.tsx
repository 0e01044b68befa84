import { useEffect, useRef, useState } from 'preact/hooks';
import { productNames } from '../../words/words.js';
import type { Params } from './location.js';
import { setParams } from './session-context.js';

type Choices = readonly (readonly [value: string, label: string])[];

export interface FilterProps {
  readonly params: Params;
  readonly placeholder: string;
  /** Further filters by the name of their parameter. */
  readonly choices: readonly { readonly param: string; readonly label: string; readonly options: Choices }[];
}

export const productChoices = {
  param: 'product',
  label: 'Product',
  options: [['', 'All products'], ...Object.entries(productNames)] as Choices,
};

/** How long to wait after a key press before searching, in ms. */
const typingMs = 250;

/** Search and filters of a list. They are part of the address, so that they last over a reload. */
export function Filters({ params, placeholder, choices }: FilterProps) {
  return (
    <search class="filters">
      <SearchField text={params['q'] ?? ''} placeholder={placeholder} />
      {choices.map(({ param, label, options }) => (
        <select
          key={param}
          aria-label={label}
          value={params[param] ?? ''}
          onChange={(event) => setParams({ [param]: event.currentTarget.value })}
        >
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ))}
    </search>
  );
}

function SearchField({ text, placeholder }: { readonly text: string; readonly placeholder: string }) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setTyped(text), [text]);
  const type = (value: string) => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setParams({ q: value.trim() }), typingMs);
  };
  return (
    <input
      type="search"
      aria-label={`Search ${placeholder}`}
      placeholder={`Search ${placeholder}`}
      value={typed}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}
