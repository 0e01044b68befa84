/** CPU in ms from the start of the process to the first response: cold.mjs client baseUrl; without them, of a process that does nothing. */
const [client, baseUrl] = process.argv.slice(2);
if (client) await (await import(client)).make(baseUrl)('cold');
const { user, system } = process.cpuUsage();
console.log((user + system) / 1000);
process.exit();
