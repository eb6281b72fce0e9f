import { addTexts } from '../../texts/texts.ts';
import { trends } from '../../texts/trends.ts';

/** The pages and parts with plots. They and their texts are loaded when one of them is opened. */
addTexts(trends);

export { SourcePlots } from './source-plots.tsx';
export { TrendsPage } from './trends-page.tsx';
export { UsagePlot } from './usage-plot.tsx';
