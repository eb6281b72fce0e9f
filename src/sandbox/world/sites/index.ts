import { brazilianSites } from './brazilian-companies.ts';
import { chileanSites, unreadableSites } from './chilean-companies.ts';
import { plainSites } from './plain.ts';
import type { SandboxSite } from './site.ts';
import { technologySites } from './technologies.ts';

/** Every website of the sandbox. */
export const sites: readonly SandboxSite[] = [...plainSites, ...chileanSites, ...unreadableSites, ...brazilianSites, ...technologySites];
