const wall = performance.now();
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));
process.exit(0);
