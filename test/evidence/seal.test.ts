import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import type { PublicKey, Receipt } from '../../src/evidence/receipt.ts';
import { findFault, seal, signingKeyOf } from '../../src/evidence/seal.ts';
import { testApp } from '../support/app.ts';
import { withoutJournal } from '../support/usage-journal.ts';

const key = signingKeyOf(randomBytes(32).toString('base64'));
const published = { kty: 'OKP', crv: 'Ed25519', kid: key.id, x: key.publicKey } as unknown as PublicKey;
const receipt = (sequence: number, previous_hash: string | null) =>
  seal({ id: `evd_${sequence}`, account: 'one', sequence, previous_hash } as unknown as Receipt, key);

describe('a chain of receipts that the key of the service signed', () => {
  const first = receipt(1, null);

  it('is genuine when each receipt has the hash of the one before', () => {
    expect(findFault([first, receipt(2, first.content_hash)], [published])).toBeNull();
  });

  it.each([
    ['has the hash of another receipt', receipt(2, receipt(1, 'a'.repeat(64)).content_hash)],
    ['has no hash of the one before', receipt(2, null)],
    ['leaves one out', receipt(3, first.content_hash)],
    ['has the number of the one before', receipt(1, null)],
  ])('has a fault when a receipt %s', (_, second) => {
    expect(findFault([first, second], [published])).toMatchObject({ fault: 'chain' });
  });
});

it('no receipt is written of a check whose usage cannot be recorded', async () => {
  const app = await testApp();
  onTestFinished(() => app.close());
  await withoutJournal(app, async () => {
    const answer = await app.post('/v1/compliance-br', { cnpj: companyByScenario('clean').cnpj, receipt: true });
    expect([answer.status, answer.body.code]).toEqual([503, 'service_unavailable']);
  });
  expect(await app.db('evidence_receipts')).toEqual([]);
});
