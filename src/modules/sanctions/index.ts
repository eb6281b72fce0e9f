import { defineModule } from '../module.ts';
import { ApprovalsResolver } from './graphql/approvals.ts';
import { BulkReviewsResolver } from './graphql/bulk-reviews.ts';
import { ConfirmedMatchCsvResolver, DismissedMatchCsvResolver, ReviewPagesResolver } from './graphql/review-pages.ts';
import { ReviewsResolver } from './graphql/reviews.ts';
import { PossibleMatchesResolver, SanctionsResolver } from './graphql.ts';
import { sanctionsRoute } from './rest.ts';
import { reviewAccountData, reviewService } from './service/reviews.ts';
import { allSanctionsSources } from './sources/lists.ts';

/** International sanctions lists by tax id, candidates by name, and the decisions of accounts about candidates. */
export const sanctions = defineModule({
  name: 'sanctions',
  sources: allSanctionsSources,
  resolvers: [
    SanctionsResolver,
    PossibleMatchesResolver,
    ReviewsResolver,
    BulkReviewsResolver,
    ApprovalsResolver,
    ReviewPagesResolver,
    DismissedMatchCsvResolver,
    ConfirmedMatchCsvResolver,
  ],
  routes: [sanctionsRoute],
  services: [reviewService],
  accountData: reviewAccountData,
});
