import { rowLoadersOf } from '../../loaders/rows.ts';
import { attemptsOfDeliveries, deliveriesReporting } from '../../webhooks/store/delivery-log.ts';
import { pageRejected, pageResults } from './store/results.ts';
import { findScreenings, pageScreenings } from './store/screenings.ts';

const rowsOf = rowLoadersOf('screening');

/** A screening; null for none. */
export const screeningLoader = rowsOf('screening', findScreenings);
/** A page of the screenings of a key, newest first. */
export const screeningsLoader = rowsOf('screenings', pageScreenings);
/** A page of the results of a screening, in the order of its portfolio. */
export const resultsLoader = rowsOf('screening_results', pageResults);
/** A page of the rejected rows of a screening, in the order of its portfolio. */
export const rejectedLoader = rowsOf('screening_rejects', pageRejected);
/** The delivery of the end of a screening; empty without one. */
export const screeningDeliveriesLoader = rowsOf('deliveries_of_screening', deliveriesReporting);
/** The attempts of such a delivery, in their order. */
export const attemptsLoader = rowsOf('attempts_of_screening', attemptsOfDeliveries);
