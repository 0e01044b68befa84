import { Field, Form } from './forms.js';

/** Where the browser keeps the control token of this sandbox, for all its tabs. */
const storageKey = 'billpay-sandbox-control-token';

export const storedToken = (): string | undefined => localStorage.getItem(storageKey) ?? undefined;

/** A token that was entered in one tab opens the others as well. */
export const onTokenChange = (listener: () => void): void =>
  addEventListener('storage', ({ key }) => {
    if (key === storageKey) listener();
  });

/** Asks for the control token. It is sent as a header, and never becomes part of an address. */
export function TokenForm() {
  const hadToken = storedToken() !== undefined;
  return (
    <main class="locked">
      <h1>billpay sandbox</h1>
      <section class="card">
        <p>
          {hadToken && <b>This token is not the one of this sandbox. </b>}
          This sandbox is open to a network, so it asks for the control token that was printed when it
          started.
        </p>
        <Form
          name="Control token"
          submit="Open"
          onSubmit={async ({ token = '' }) => {
            localStorage.setItem(storageKey, token);
            location.reload();
          }}
        >
          <Field label="Control token" wide>
            <input name="token" type="password" autocomplete="off" required />
          </Field>
        </Form>
      </section>
    </main>
  );
}
