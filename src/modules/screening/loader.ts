import { rowLoadersOf } from '../../loaders/rows.ts';
import { attemptsOfDeliveries, deliveriesReporting } from '../../webhooks/store/delivery-log.ts';
import { groupResults, pageRejected, pageResults } from './store/results.ts';
import { findScreenings, pageScreenings } from './store/screenings.ts';

const rowsOf = rowLoadersOf('screening');

/** Loads a screening; null if it does not exist. */
export const screeningLoader = rowsOf('screening', findScreenings);
/** Loads a page of the screenings of a key, newest first. */
export const screeningsLoader = rowsOf('screenings', pageScreenings);
/** Loads a page of the results of a screening, in the order of its portfolio. */
export const resultsLoader = rowsOf('screening_results', pageResults);
/** Counts the results of a screening by level, completeness and outcome. */
export const resultGroupsLoader = rowsOf('screening_result_groups', groupResults);
/** Loads a page of the rejected rows of a screening, in the order of its portfolio. */
export const rejectedLoader = rowsOf('screening_rejects', pageRejected);
/** Loads the delivery of the end of a screening; empty without one. */
export const screeningDeliveriesLoader = rowsOf('deliveries_of_screening', deliveriesReporting);
/** Loads the attempts of such a delivery, in their order. */
export const attemptsLoader = rowsOf('attempts_of_screening', attemptsOfDeliveries);
