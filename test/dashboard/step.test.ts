import { describe, expect, it, vi } from 'vitest';
import { stepProps } from '../../dashboard/ui/step.ts';

describe('a button that moves through something with ends', () => {
  it.each([
    ['moves where that is possible', true, 1],
    ['says at an end that it does nothing, does nothing, and is not disabled, because a disabled button loses the focus', false, 0],
  ])('%s', (_, isPossible, times) => {
    const onStep = vi.fn();
    const { onClick, ...attributes } = stepProps(isPossible, onStep);
    expect(attributes).toEqual({ 'aria-disabled': !isPossible });
    onClick();
    expect(onStep).toHaveBeenCalledTimes(times);
  });
});
