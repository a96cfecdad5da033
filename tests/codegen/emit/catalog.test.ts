import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { catalog } from '../../../generated/catalog/index.ts';
import { resourceUri } from '../../../generated/catalog/resource-uris.ts';
import surface from '../../../generated/surface.json' with { type: 'json' };
import type { CatalogContract } from '../../../src/mcp/contract.ts';

/** Compiles only while the generated catalog is what the runtime takes. */
const served: CatalogContract = catalog;

describe('the generated catalog', () => {
  it('lists everything in name order with a validator for each', () => {
    for (const list of [served.tools, served.resources, served.prompts, served.jobs]) {
      const names = list.map(({ name }) => name);
      assert.deepEqual(names, [...names].sort());
    }
    assert.deepEqual(
      Object.keys(served.validators.toolInput),
      served.tools.map(({ name }) => name),
    );
    assert.deepEqual(
      Object.keys(served.validators.toolOutput),
      served.tools.map(({ name }) => name),
    );
  });

  it('tells the hash of the surface that is committed', () => {
    assert.match(served.contractHash, /^[0-9a-f]{64}$/u);
    assert.equal(served.contractHash, surface.contractHash);
  });

  it('builds resource addresses that give back any value and hold only unreserved characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        (dataset, project) => {
          const uri = resourceUri.dataset({ dataset, project_id: project });
          const [path = '', query = ''] = uri.split('?');
          const segment = path.slice('overmind://datasets/'.length);
          assert.match(segment, /^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})+$/u);
          assert.equal(decodeURIComponent(segment), dataset);
          assert.equal(decodeURIComponent(query.slice('project_id='.length)), project);
        },
      ),
      { numRuns: 300, seed: 20_260_207 },
    );
  });

  it('leaves out what an address does not need and mends half of a surrogate pair', () => {
    assert.equal(resourceUri.dataset({ dataset: 'run 7/ü%' }), 'overmind://datasets/run%207%2F%C3%BC%25');
    assert.equal(resourceUri.dataset({ dataset: 'a\ud83d' }), 'overmind://datasets/a%EF%BF%BD');
    assert.equal(resourceUri.current_project(), 'overmind://project/current');
  });
});
