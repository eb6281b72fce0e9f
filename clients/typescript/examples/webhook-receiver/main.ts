/** Run it: WEBHOOK_SECRET=whsec_… node main.ts */
import { createReceiver } from './receiver.ts';

const stored = new Set<string>();
const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  async store(event) {
    stored.add(event.event_id);
    console.log(event.detected_at, event.identifier, JSON.stringify(event.changed_fields));
  },
  isStored: async (eventId) => stored.has(eventId),
});
console.log(await receiver.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 9000) }));
