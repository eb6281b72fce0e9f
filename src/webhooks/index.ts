import { webhookJobs } from './jobs.ts';
import { webhookAccountData } from './service/account-data.ts';
import { webhookGauges } from './service/gauges.ts';
import { webhookService } from './service/webhooks.ts';

/** The engine that sends messages to the webhook endpoints of customers, for every module that publishes them. */
export const webhooks = { services: [webhookService], jobs: webhookJobs, gauges: webhookGauges, accountData: webhookAccountData };
