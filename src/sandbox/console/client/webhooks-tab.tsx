import { hasValues } from '../../control/filter.js';
import { searchFor } from '../../control/search.js';
import { productNames } from '../../words/words.js';
import { DeliveryPanel, Redeliver } from './delivery-detail.js';
import { Filters, productChoices } from './filters.js';
import type { Params } from './location.js';
import type { Delivery, SandboxEvent } from './resources.js';
import { linkTo, useLoaded } from './session-context.js';
import { SubscribeForm } from './subscribe-form.js';
import { ListTable } from './table.js';
import { deliveryState } from './text.js';
import { useList } from './use-list.js';
import { Badge, Card, SaleLink, Time } from './widgets.js';

const idOf = ({ id }: Delivery) => id;

function changeOf(event: SandboxEvent) {
  if (event.type === 'event') return { item: event.delivery, isNew: true };
  return event.type === 'delivery' ? { item: event.delivery, isNew: false } : undefined;
}

const matches = (delivery: Delivery, params: Params): boolean =>
  hasValues(params, { client: delivery.client_id, product: delivery.product, state: delivery.state }) &&
  (!params['failing'] || delivery.last_delivered === false) &&
  searchFor(params['q'])({
    texts: [delivery.id, delivery.reference, delivery.event, delivery.biller],
    recipient: delivery.recipient,
    amount: delivery.amount,
  });

const states = {
  param: 'state',
  label: 'State',
  options: [
    ['', 'All states'],
    ['pending', 'Pending'],
    ['delivered', 'Delivered'],
    ['failed', 'Given up'],
  ],
} as const;

const failures = {
  param: 'failing',
  label: 'Last attempt',
  options: [
    ['', 'Any last attempt'],
    ['1', 'Last attempt failed'],
  ],
} as const;

const attemptsText = ({ attempts, last_status }: Delivery): string =>
  attempts === 0 ? 'none' : `${attempts}, last ${last_status ?? 'without response'}`;

export function WebhooksTab({ params }: { readonly params: Params }) {
  const { clients } = useLoaded();
  const { client, product, state, failing, q } = params;
  const list = useList<Delivery>({
    path: '/deliveries',
    query: { client, product, state, failing: failing || undefined, q },
    idOf,
    changeOf,
    matches: (delivery) => matches(delivery, params),
  });
  const isFiltered = Boolean(client || product || state || failing || q);
  const subscribed = clients.filter(
    ({ client_id, subscription }) => subscription !== null && (!client || client_id === client),
  );
  return (
    <>
      <Filters
        params={params}
        placeholder="delivery, reference, event"
        choices={[productChoices, states, failures]}
      />
      <ListTable
        name="Webhook deliveries"
        list={list}
        idOf={idOf}
        titleOf={({ event, reference }) => `${event} of ${reference}`}
        toneOf={(delivery) => (deliveryState(delivery).tone === 'bad' ? 'bad' : undefined)}
        columns={[
          { name: 'Event', area: 'title', cell: ({ event }) => <code>{event}</code> },
          { name: 'Time (UTC)', area: 'time', cell: ({ at }) => <Time at={at} /> },
          { name: 'Client', area: 'client', cell: ({ client_id }) => client_id },
          { name: 'Sale', area: 'reference', cell: ({ reference }) => <SaleLink reference={reference} /> },
          {
            name: 'Product',
            area: 'subject',
            cell: ({ product: family }) => family !== null && productNames[family],
          },
          { name: 'Attempts', area: 'attempts', cell: attemptsText },
          { name: 'State', area: 'state outcome', cell: (one) => <Badge {...deliveryState(one)} /> },
        ]}
        actions={(delivery) => <Redeliver delivery={delivery} />}
        details={(delivery) => <DeliveryPanel delivery={delivery} />}
        empty={
          isFiltered && subscribed.length > 0
            ? 'No delivery matches these filters.'
            : 'A delivery is made when a sale of a subscribed client settles.'
        }
      />
      <Card title="Subscriptions">
        {subscribed.length === 0 ? (
          <p class="soft">No client is subscribed.</p>
        ) : (
          <ul class="plain">
            {subscribed.map(({ client_id, subscription }) => (
              <li key={client_id}>
                <a href={linkTo('clients')}>{client_id}</a> <code>{subscription?.url}</code>
                {subscription?.enabled === false && <Badge text="disabled" tone="wait" />}
              </li>
            ))}
          </ul>
        )}
        <SubscribeForm client={params['client']} />
      </Card>
    </>
  );
}
