import process from 'node:process';

/**
 * What takes too long for each test run: `npm run chaos` (a bad network), `npm run chaos -- processes` (killed and frozen buyers),
 * `npm run chaos -- soak` (many calls), `npm run chaos -- books` (planted differences). What follows goes to the program itself.
 */
const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  network: () => import('./network.js'),
  processes: () => import('./processes.js'),
  soak: () => import('./soak.js'),
  books: () => import('../orders/reconcile/proof.js'),
};

const [asked = ''] = process.argv.slice(2);
if (asked in programs) process.argv.splice(2, 1);
else if (asked !== '' && !asked.startsWith('--'))
  throw new Error(`there is no ${asked}, but ${Object.keys(programs).join(', ')}`);
await (programs[asked] ?? programs['network'])?.();
