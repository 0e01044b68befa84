import { render } from 'preact';
import { App } from './app.js';
import { api, session, tokenKey } from './context.js';
import { followEvents, shareEvents } from './events.js';
import { listenToKeys } from './keys.js';

shareEvents(
  {
    locks: navigator.locks,
    createChannel: () => new BroadcastChannel('billpay-sandbox'),
    document,
  },
  (listener, stop) => followEvents(api, listener, stop),
  session.receive,
);
// A token that was entered in one tab opens the others as well.
addEventListener('storage', ({ key }) => {
  if (key === tokenKey) location.reload();
});
listenToKeys();
setInterval(session.tick, 5000);

render(<App />, document.body);
