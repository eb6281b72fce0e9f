/** Returns the URL of an endpoint of `/v1`: its path with a Brazilian company, or with `id`, for the parameters. */
export const urlOf = (path: string, id: string): string =>
  path.startsWith('/v1/companies/') ? path.replace(':country', 'BR').replace(':id', '00000000000191') : path.replace(':id', id);
