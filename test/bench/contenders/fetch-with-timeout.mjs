/** Raw fetch that ends after a time: the least that a call which moves money needs. */
import { authorization, withClient } from './sale.mjs';

export function make(baseUrl) {
  return async (key) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 30_000);
    try {
      const response = await fetch(`${baseUrl}/airtime/purchase`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify(withClient(key)),
        signal: controller.signal,
      });
      if (!response.ok) throw new Error(`failed with ${response.status}`);
      return await response.json();
    } finally {
      clearTimeout(timer);
    }
  };
}
