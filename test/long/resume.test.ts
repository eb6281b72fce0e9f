import { it } from 'vitest';
import { resumeAtRandom } from '../server/sockets/resuming.ts';
import { listening, replicaOf } from '../server/sockets/support.ts';
import { testApp } from '../support/app.ts';
import { rounds } from '../support/rounds.ts';

it('SB-08 a client that is disconnected repeatedly receives each change once', async () => {
  const app = await testApp({ listsTried: false });
  try {
    await resumeAtRandom(app, [await listening(app), await listening(await replicaOf(app))], rounds(1_000));
  } finally {
    await app.close();
  }
});
