// The spec reporter, closed by one plain line that people and CI read alike.
const { reporters } = require('mocha');

module.exports = class PlainClosing extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      process.stdout.write(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}\n`);
    });
  }
};
