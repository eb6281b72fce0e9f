import { expect, it } from 'vitest';
import { promiseResults, withResults } from './promise-results.ts';

it('takes the worst result of all tests that carry an id', () => {
  const results = promiseResults([
    { fullName: 'WH-06 deliveries survive a kill', status: 'passed' },
    { fullName: 'group WH-06 UP-02 one more', status: 'failed' },
    { fullName: 'UP-02 another', status: 'passed' },
    { fullName: 'MT-01 counts', status: 'passed' },
    { fullName: 'GQ-03 first', status: 'passed' },
    { fullName: 'GQ-03 second', status: 'skipped' },
    { fullName: 'no promise', status: 'failed' },
  ]);
  expect(Object.fromEntries(results)).toEqual({ 'WH-06': 'failed', 'UP-02': 'failed', 'MT-01': 'passed', 'GQ-03': 'skipped' });
});

it('fills the last column of rows with a result, and no other', () => {
  const page =
    '| Id | Promise | Test | Last full result |\n|---|---|---|---|\n| WH-01 | a | b | not run |\n| WH-02 | a | b | passed old |\n';
  expect(withResults(page, new Map([['WH-01', 'failed']]), '2026-11-22 abc1234')).toBe(
    '| Id | Promise | Test | Last full result |\n|---|---|---|---|\n| WH-01 | a | b | failed 2026-11-22 abc1234 |\n| WH-02 | a | b | passed old |\n',
  );
});
