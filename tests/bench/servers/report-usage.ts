/** Answers the parent's question for CPU and memory, and ends with it. Loaded beside any server under measure. */
process.on('message', (message: { ask: string }) => {
  if (message.ask !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({
    usage: { cpuUs: user + system, rss: process.memoryUsage.rss(), peakRss: process.resourceUsage().maxRSS * 1024 },
  });
});
process.on('disconnect', () => process.exit(0));
