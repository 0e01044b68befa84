import type { Product } from 'billpay';

/** What the customer sees of an order: the shop's own table, beside the orders. */
export interface Cart {
  /** Also the id of the order. */
  readonly id: string;
  readonly product: Product;
  /** Such as `MTN 2GB daily`. */
  readonly title: string;
  readonly recipient: string;
  /** The name behind the meter or card, where it was looked up. */
  readonly customerName: string | null;
  /** What the customer paid, in NGN. */
  readonly price: number;
  readonly state: 'paid' | 'delivered' | 'refunded';
  /** Worth money to whoever reads it: shown only when the customer asks. */
  readonly token: string | null;
  readonly createdAt: Date;
}

/** A new cart. */
export type NewCart = Omit<Cart, 'state' | 'token' | 'createdAt'>;

/** The shop's own table. `Client` is what a transaction of the order store passes on. */
export interface Carts<Client> {
  /** Stores a cart, unless its id is there. */
  add(cart: NewCart, client: Client): Promise<void>;
  end(id: string, state: 'delivered' | 'refunded', token: string | undefined, client: Client): Promise<void>;
  find(id: string): Promise<Cart | undefined>;
  latest(limit: number): Promise<Cart[]>;
}
