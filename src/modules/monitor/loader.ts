import type { Owned } from '../../db/paging.ts';
import { rowLoadersOf } from '../../loaders/rows.ts';
import { attemptsOfDeliveries, deliveriesReporting, findDeliveries, pageDeliveries } from '../../webhooks/store/delivery-log.ts';
import { readChangeDays } from './store/change-days.ts';
import { countChanges, findChanges, pageChangeLog, pageChangesOfCompanies, pageChangesOfMonitors } from './store/change-log.ts';
import { tagsOfCompanies } from './store/company-tags.ts';
import { pageHeldChanges } from './store/held-changes.ts';
import { findMailSubscriptions } from './store/mail-subscriptions.ts';
import { findMonitors, identifiersOf, MONITOR, pageCompanies, pageMonitors, pageMonitorsWatching } from './store/monitors.ts';
import { readPortfolioDays } from './store/portfolio-days.ts';
import { readWatchDates } from './store/watch-dates.ts';
import { readCheckProgress } from './store/watched-companies.ts';

const rowsOf = rowLoadersOf('monitor');

/** Loads a monitor, active or cancelled; null if it does not exist. */
export const monitorLoader = rowsOf('monitor', findMonitors);
/** Loads the tax ids of a monitor; none if it does not exist. */
export const identifiersLoader = rowsOf('identifiers_of_monitor', identifiersOf);
/** Loads a page of the active monitors, newest first. */
export const monitorsLoader = rowsOf('monitors', pageMonitors);
/** Loads a page of the active monitors that watch a company, newest first. */
export const watchingLoader = rowsOf('monitors_watching', pageMonitorsWatching);
/** Loads the progress of the checks of a monitor's companies; null if the monitor does not exist. */
export const checkProgressLoader = rowsOf('check_progress', readCheckProgress);
/** Loads a page of the companies that a monitor watches, in the order of its identifiers. */
export const watchedLoader = rowsOf('monitored_companies', pageCompanies);

/** Loads when a key's monitors began to watch a company, and when they reported a change of it last. */
export const watchDatesLoader = rowsOf('watch_dates', readWatchDates);
/** Loads the tags of a company in an account. */
export const tagsLoader = rowsOf('company_tags', tagsOfCompanies);

/** Loads a page of the held changes of the companies that a key watches, by company and source. */
export const heldChangesLoader = rowsOf('held_changes', pageHeldChanges);

/** Loads a change; null if it does not exist. */
export const changeLoader = rowsOf('change', findChanges);
/** Loads a page of the changes of a monitor, newest first. */
export const monitorChangesLoader = rowsOf('changes_of_monitor', pageChangesOfMonitors);
/** Loads a page of the changes of a company, newest first. */
export const companyChangesLoader = rowsOf('changes_of_company', pageChangesOfCompanies);
/** Loads a page of the change log, oldest first. */
export const changeLogLoader = rowsOf('change_log', pageChangeLog);
/** Counts the changes after a position of the change log. */
export const changeCountLoader = rowsOf('change_count', countChanges);
/** Loads the numbers of changes of a key since a day, by day and field. */
export const changeDaysLoader = rowsOf('change_days', readChangeDays);

/** Loads the levels of a key's portfolio since a day. */
export const portfolioDaysLoader = rowsOf('portfolio_days', readPortfolioDays);

/** Loads a delivery; null if it does not exist. */
export const deliveryLoader = rowsOf('delivery', (db, queries: readonly Owned[]) => findDeliveries(db, MONITOR, queries));
/** Loads the deliveries of a change. */
export const changeDeliveriesLoader = rowsOf('deliveries_of_change', deliveriesReporting);
/** Loads a page of a monitor's deliveries, newest first. */
export const monitorDeliveriesLoader = rowsOf('deliveries_of_monitor', pageDeliveries);
/** Loads the attempts of a delivery, in their order. */
export const attemptsLoader = rowsOf('attempts_of_delivery', attemptsOfDeliveries);

/** Loads the people who receive the daily mail of an account. */
export const mailSubscriptionsLoader = rowsOf('mail_subscriptions', findMailSubscriptions);
