// Loaded beside a process under measure: answers the parent's question for CPU and memory, and tells the CPU at its end.
const usage = () => {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, rss: process.memoryUsage.rss(), peakRss: process.resourceUsage().maxRSS * 1024 };
};
if (process.send) {
  process.on('message', ({ ask }) => ask === 'usage' && process.send({ usage: usage() }));
  process.on('disconnect', () => process.exit(0));
  // The question may come at any time, but must not keep alive what wants to end.
  process.channel?.unref();
}
process.on('exit', () => {
  if (process.env['CPU_AT_EXIT']) process.stderr.write(`\nCPU_US ${usage().cpuUs}\n`);
});
