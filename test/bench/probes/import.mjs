/** How long importing a module takes, in ms: import.mjs specifier [require] */
import { createRequire } from 'node:module';

const [specifier, how] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const cpuBefore = process.cpuUsage();
const before = performance.now();
if (how === 'require') require(specifier);
else await import(specifier);
const wall = performance.now() - before;
const { user, system } = process.cpuUsage(cpuBefore);
console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));
