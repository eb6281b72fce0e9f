import { ArgsType, Field, ID } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { type CompanyKey, detectCompanyKey, hasCnpjForm, parseCompanyKey, readPrintedCompanyKey } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { fromPublicId } from '../../../domain/public-ids.ts';
import { PageArgs } from '../../../graphql/connection.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import { monitorMessages } from '../../../messages/monitors.ts';
import type { DeliveryState } from '../../../webhooks/domain/delivery.ts';
import { DeliveryStatusEnum } from '../../../webhooks/graphql.ts';
import { MAX_IDENTIFIERS } from '../domain/monitor.ts';
import { monitorLoader } from '../loader.ts';

@ArgsType()
export class DeliveriesArgs extends PageArgs {
  @Field(() => DeliveryStatusEnum, { nullable: true, description: 'Only deliveries in this state; all when omitted.' })
  status!: DeliveryState | null;
}

@ArgsType()
export class LogArgs extends PageArgs {
  @Field(() => [ID], { nullable: true, description: 'Only changes of these monitors, at most 500.' }) monitorIds!: string[] | null;
  @Field(() => [String], { nullable: true, description: 'Only changes of the companies with these tax ids, at most 500.' })
  identifiers!: string[] | null;
}

/** Public id of a monitor → UUID. @throws AppError MONITOR_NOT_FOUND for any other text */
export function monitorUuid(id: string): string {
  const uuid = fromPublicId('monitor', id);
  if (uuid === null) throw noSuchMonitor();
  return uuid;
}

export const noSuchMonitor = (): AppError => new AppError('MONITOR_NOT_FOUND', monitorMessages.noSuchMonitor());

/** @throws AppError MONITOR_NOT_FOUND unless all are monitors of the key */
export async function requireMonitors(ids: readonly string[], ctx: RequestContext): Promise<void> {
  const { keyId } = ctx.caller;
  const found = await Promise.all(ids.map((id) => ctx.read(monitorLoader, { keyId, id })));
  if (found.includes(null)) throw noSuchMonitor();
}

/**
 * Reads the tax id of a filter. A number may be both a RUT and a NIT; then it selects the companies of both countries.
 * @throws AppError INVALID_INPUT on `identifiers`
 */
export function companyKeys(identifier: string): readonly CompanyKey[] {
  if (hasCnpjForm(identifier)) return [parseCompanyKey('BR', identifier, 'identifiers')];
  const read = (['CL', 'CO'] as const).map((country) => readPrintedCompanyKey(country, identifier));
  const keys = read.flatMap((one) => ('problem' in one ? [] : [one]));
  return keys.length > 0 ? keys : [detectCompanyKey(identifier, 'identifiers')];
}

/**
 * Reads an optional filter. An empty list is refused, because it would match nothing, which is hardly ever intended.
 * @throws AppError INVALID_INPUT on `field`
 */
export function optionalFilter(field: string, list: readonly string[] | null | undefined): readonly string[] | undefined {
  if (list && (list.length === 0 || list.length > MAX_IDENTIFIERS))
    throw invalidInput(field, fieldMessages.filterLength({ max: MAX_IDENTIFIERS }));
  return list ?? undefined;
}
