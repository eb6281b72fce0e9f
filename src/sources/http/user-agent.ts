/**
 * How we introduce ourselves. Several registries refuse the default agents of HTTP libraries, and one demands
 * `Mozilla/<digit>` and at least 40 characters.
 */
export const USER_AGENT = 'Mozilla/5.0 (compatible; Quipu/0.1; company registry checks; +https://github.com/quipu/quipu)';
