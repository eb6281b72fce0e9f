import { defineEnum } from '../../../graphql/enums.ts';
import type { ReceiptSource } from '../domain/receipt.ts';
import type { CheckName } from '../domain.ts';

export const RiskLevelEnum = defineEnum('RiskLevel', 'Risk level by fixed rules. LOW is no regulatory clearance.', {
  low: 'No record was found by the checks that answered; see `completeness`.',
  medium: 'A debarment record, or a registration that is not active.',
  high: 'A sanctions match or a forced-labour record.',
});
export const CompletenessEnum = defineEnum('Completeness', 'How much of the result is based on answers of sources.', {
  complete: 'Every source answered.',
  partial: 'Some source failed.',
  insufficient: 'No source answered.',
});
export const ComplianceCheckEnum = defineEnum<CheckName>('ComplianceCheck', 'One of the five checks of a consolidated check.', {
  kyb: 'Registration.',
  sanctions: 'Sanctions lists.',
  debarment: 'CEIS and CNEP.',
  labor: 'Forced-labour registry.',
  owners: 'Owners.',
});
export const EvidenceOutcomeEnum = defineEnum<ReceiptSource['outcome']>('EvidenceOutcome', 'What one source contributed to a verdict.', {
  answered: 'Its answer is part of the verdict.',
  failed: 'It could not be read.',
});
