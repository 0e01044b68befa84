import { hasValues } from '../../control/filter.js';
import { searchFor } from '../../control/search.js';
import { productNames } from '../../words/words.js';
import { linkTo, useLoaded, useSession } from './context.js';
import { DeliveryActions, DeliveryDrawer } from './delivery-detail.js';
import { Filters, productChoices } from './filters.js';
import type { Params } from './location.js';
import type { Delivery, SandboxEvent } from './resources.js';
import { SubscribeForm } from './subscribe-form.js';
import { type Column, ListTable } from './table.js';
import { brief, deliveryState, naira } from './text.js';
import { type ListSource, useList } from './use-list.js';
import { Badge, Card, Time, TransactionLink } from './widgets.js';

const idOf = ({ id }: Delivery) => id;

function changeOf(event: SandboxEvent): ReturnType<ListSource<Delivery>['changeOf']> {
  if (event.type === 'event') return { item: event.delivery, isNew: true };
  return event.type === 'delivery' ? { item: event.delivery, isNew: false } : undefined;
}

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

const columns: readonly Column<Delivery>[] = [
  { name: 'Receiver', area: 'receiver', cell: (delivery) => <State delivery={delivery} /> },
  { name: 'Event', area: 'event', cell: ({ event }) => event.replace('transaction.', '') },
  {
    name: 'Transaction',
    area: 'reference',
    cell: ({ reference }) => <TransactionLink reference={reference} />,
  },
  {
    name: 'Product',
    area: 'product',
    cell: ({ product, biller }) =>
      product === null ? '' : `${productNames[product]} ${brief(biller ?? '', 16)}`,
  },
  { name: 'Amount', area: 'amount', cell: ({ amount }) => (amount === null ? '' : naira(amount)) },
  { name: 'Attempts', area: 'sent', cell: ({ attempts }) => attempts },
  { name: 'Time (UTC)', area: 'time', cell: ({ at }) => <Time at={at} /> },
  { name: 'Actions', area: 'actions', cell: (delivery) => <DeliveryActions delivery={delivery} /> },
];

export function WebhooksTab({ params }: { readonly params: Params }) {
  const { clients } = useLoaded();
  const { client, product, state, failing, q, open } = params;
  const isFiltered = Boolean(client || product || state || failing || q);
  const isFound = searchFor(q);
  const query = { client, product, state, failing: failing || undefined, q };
  const list = useList<Delivery>({
    path: '/deliveries',
    query,
    idOf,
    changeOf,
    matches: (delivery) =>
      hasValues(params, { client: delivery.client_id, product: delivery.product, state: delivery.state }) &&
      (!failing || delivery.last_delivered === false) &&
      isFound({
        texts: [delivery.id, delivery.reference, delivery.event, delivery.product, delivery.biller],
        recipient: delivery.recipient,
        amount: delivery.amount,
      }),
    isHeld: isFiltered || open !== undefined,
  });
  const subscribed = clients.filter(
    ({ client_id, subscription }) => subscription !== null && (!client || client_id === client),
  );
  return (
    <>
      <Filters
        params={params}
        placeholder="reference, recipient, event"
        choices={[productChoices, states, failures]}
        list={list}
        download={{ path: '/deliveries/export', query }}
      />
      <ListTable
        name="Webhook deliveries"
        kind="deliveries"
        list={list}
        titleOf={({ event, reference }) => `${event} of ${reference}`}
        columns={columns}
        empty={
          isFiltered && subscribed.length > 0
            ? 'No delivery matches these filters.'
            : 'A delivery is made when a transaction of a subscribed client settles.'
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
        <SubscribeForm client={client} />
      </Card>
      {open !== undefined && <DeliveryDrawer key={open} id={open} />}
    </>
  );
}

function State({ delivery }: { readonly delivery: Delivery }) {
  const session = useSession();
  return <Badge {...deliveryState(delivery, delivery.next_attempt_at ? session.now.value : 0)} />;
}
