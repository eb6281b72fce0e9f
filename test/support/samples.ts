import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { needs } from './needs.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Returns the path of a small document of an upstream in test/fixtures, whose README names its origin. */
export const samplePath = (name: string): string => path.join(ROOT, 'test/fixtures', name);

export const sampleBytes = (name: string): Buffer => readFileSync(samplePath(name));

export const sampleText = (name: string): string => readFileSync(samplePath(name), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of a document
export const sampleJson = (name: string): any => JSON.parse(sampleText(name));

/** Folder of the sanctions lists and web pages as published, which are too large or not ours to be part of the repository. */
const published = process.env.QUIPU_TEST_PUBLISHED ?? path.resolve(ROOT, '../shared/data');

export const publishedPath = (name: string): string => path.join(published, name);

/** Options of a test that reads a published document. */
export const needsPublished = (name: string) =>
  needs(existsSync(publishedPath(name)), `it reads ${name}, which is not part of the repository: QUIPU_TEST_PUBLISHED names its folder`);
