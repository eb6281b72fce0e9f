import { defineEnum } from '../../../graphql/enums.ts';
import type { DeliveryState } from '../domain/delivery.ts';
import type { EndpointState, Monitor, RetryPolicy } from '../domain/monitor.ts';
import type { ChangedField } from '../domain/snapshot.ts';

export const MonitorStatusEnum = defineEnum<Monitor['status']>('MonitorStatus', 'Whether a monitor still watches.', {
  active: 'It watches.',
  cancelled: 'It watches no more and sends nothing; what it told stays readable.',
});

export const RetryPolicyEnum = defineEnum<RetryPolicy>('RetryPolicy', 'What follows when a receiver does not take an event.', {
  none: 'Nothing: one attempt a delivery.',
  standard: 'Further attempts after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h.',
});

export const EndpointStateEnum = defineEnum<EndpointState>('EndpointState', 'How a receiver has been answering.', {
  active: 'As it should.',
  failing: 'It failed repeatedly; it is still sent everything.',
  disabled: 'It failed for so long that nothing is sent any more, until `enableMonitor`.',
});

export const DeliveryStatusEnum = defineEnum<DeliveryState>('DeliveryStatus', 'How far a delivery is.', {
  pending: 'To be sent, for the first time or again.',
  sending: 'An attempt is under way.',
  delivered: 'The receiver answered 2xx.',
  failed: 'The receiver did not take it, and there is no further attempt.',
  dropped: 'Given up, because its monitor was cancelled or disabled; attempts may have come before.',
});

export const ChangeFieldEnum = defineEnum<ChangedField>('ChangeField', 'What changed of a company.', {
  status: 'Standing at the tax registry: active, inactive or not_found.',
  size: 'small, large or unknown.',
  activity: 'Main economic activity.',
  sanctions: 'Entries of a sanctions list that name the company; the values count them.',
  debarment: 'Entries of CEIS or CNEP that name the company; the values count them.',
  labor: 'Entries of the forced-labour registry that name the company; the values count them.',
});
