import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import type { PublicKey, Receipt } from '../../src/evidence/receipt.ts';
import { findFault, seal, signingKeyOf } from '../../src/evidence/seal.ts';
import { testApp } from '../support/app.ts';
import { withoutJournal } from '../support/usage-journal.ts';

const key = signingKeyOf(randomBytes(32).toString('base64'));
const published = { kty: 'OKP', crv: 'Ed25519', kid: key.id, x: key.publicKey } as unknown as PublicKey;
const receipt = (sequence: number, previous_hash: string | null, { account = 'one', by = key } = {}) =>
  seal({ id: `evd_${sequence}`, account, sequence, previous_hash } as unknown as Receipt, by);

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
    ['is of another account', receipt(2, first.content_hash, { account: 'two' })],
  ])('has a fault when a receipt %s', (_, second) => {
    expect(findFault([first, second], [published])).toMatchObject({ fault: 'chain' });
  });

  it.each([
    ['has a hash of the one before but is the first', receipt(1, 'a'.repeat(64))],
    ['has no hash of the one before but is a later one', receipt(2, null)],
  ])('has a fault when its first receipt %s', (_, only) => {
    expect(findFault([only], [published])).toMatchObject({ fault: 'chain' });
  });

  it('has a fault when the content of a receipt was changed', () => {
    expect(findFault([{ ...first, receipt: { ...first.receipt, id: 'evd_2' } }], [published])).toMatchObject({ fault: 'changed' });
  });

  it('has a fault when another key signed a receipt', () => {
    const other = { ...signingKeyOf(randomBytes(32).toString('base64')), id: key.id };
    expect(findFault([receipt(1, null, { by: other })], [published])).toMatchObject({ fault: 'key' });
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
