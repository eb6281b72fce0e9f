import type { Country } from '../../domain/company.ts';
import { answerSourceOf, isMoment } from './answer-source.ts';
import type { AnswerField, AnswersPlan, FieldPlan, Moment } from './plan-types.ts';

/** Number of control characters, from 0, that can be marks. */
const MAX_MOMENTS = 9;

/** Returns the answers of a selection; null if anything in it has to be resolved for each request. */
export function answersPlanOf(fields: readonly FieldPlan[]): AnswersPlan | null {
  const answers: AnswerField[] = [];
  const moments: Moment[] = [];
  const marks = new Map<FieldPlan, string>();
  for (const plan of fields) {
    const source = answerSourceOf(plan.field);
    if (!source) {
      if (!plan.isInMemory || hasMoment(plan)) return null;
      continue;
    }
    if (plan.value.kind !== 'object' || !plan.value.plan.isInMemory) return null;
    for (const below of plan.value.plan.fields) {
      if (!isMoment(below.field)) {
        if (hasMoment(below)) return null;
        continue;
      }
      if (below.value.kind !== 'leaf' || moments.length === MAX_MOMENTS) return null;
      const mark = String.fromCharCode(moments.length);
      moments.push({ answer: answers.length, name: below.info.fieldName, serialize: below.value.serialize, mark });
      marks.set(below, mark);
    }
    answers.push({ plan, source, countries: plan.field.extensions.countries as readonly Country[] | undefined });
  }
  return answers.length > 0 ? { fields: answers, moments, marks } : null;
}

function hasMoment({ field, value }: FieldPlan): boolean {
  if (isMoment(field)) return true;
  const item = value.kind === 'list' ? value.item : value;
  return item.kind === 'object' && item.plan.fields.some(hasMoment);
}
