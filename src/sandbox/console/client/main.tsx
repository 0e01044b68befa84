import { render } from 'preact';
import { Api } from './api.js';
import { App } from './app.js';
import { SessionContext } from './context.js';
import { followEvents } from './event-stream.js';
import { listenToKeys } from './keys.js';
import { createSession } from './session.js';
import { shareEvents } from './shared-events.js';
import { onTokenChange, storedToken } from './token.js';

const api: Api = new Api({
  root: '/_sandbox',
  token: storedToken,
  onTokenNeeded: () => {
    session.connection.value = 'locked';
  },
});
const session = createSession(api);

shareEvents(
  {
    locks: navigator.locks,
    createChannel: () => new BroadcastChannel('billpay-sandbox'),
    isHidden: () => document.hidden,
    onVisibilityChange: (listener) => document.addEventListener('visibilitychange', listener),
  },
  (listener, stop) => followEvents(api, listener, stop),
  { onEvent: session.receive, onConnection: session.connected },
);
onTokenChange(() => location.reload());
listenToKeys();
setInterval(session.tick, 5000);

render(
  <SessionContext.Provider value={session}>
    <App />
  </SessionContext.Provider>,
  document.body,
);
