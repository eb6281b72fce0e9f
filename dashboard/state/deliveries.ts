import type { Deliveries, DeliveryUpdated } from '../api/operations.ts';

/** Number of deliveries of each monitor that are shown. */
export const SHOWN_DELIVERIES = 15;

/** Replaces a delivery by its newer state, or inserts it by its time, the newest first. It changes nothing if the monitor is not shown. */
export function withDelivery(data: Deliveries, { monitor, ...delivery }: DeliveryUpdated['deliveryUpdated']): Deliveries {
  if (!data.monitors) return data;
  const nodes = data.monitors.nodes.map((one) => {
    if (one.id !== monitor.id) return one;
    const before = one.deliveries.nodes;
    const isKnown = before.some(({ id }) => id === delivery.id);
    const newer = before.filter(({ createdAt }) => Date.parse(createdAt) > Date.parse(delivery.createdAt)).length;
    const after = isKnown ? before.map((known) => (known.id === delivery.id ? delivery : known)) : before.toSpliced(newer, 0, delivery);
    return { ...one, endpointState: monitor.endpointState, deliveries: { nodes: after.slice(0, SHOWN_DELIVERIES) } };
  });
  return { ...data, monitors: { ...data.monitors, nodes } };
}
