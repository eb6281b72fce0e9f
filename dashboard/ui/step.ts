/** The properties of a `StepButton` that depend on whether a step is possible. At an end it is not disabled, so that it keeps the focus. */
export const stepProps = (isPossible: boolean, onStep: () => void) => ({
  'aria-disabled': !isPossible,
  onClick: () => {
    if (isPossible) onStep();
  },
});
