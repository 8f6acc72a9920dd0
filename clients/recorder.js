// What a client really sent and was told: a fetch that keeps both.

/**
 * record returns a fetch, and the exchanges that it made: the method, the decoded
 * request, the media type and the status of the answer.
 */
export function record() {
  const exchanges = [];
  const recorded = async (resource, options = {}) => {
    const url = new URL(resource);
    const request = options.body ? JSON.parse(options.body) : Object.fromEntries(url.searchParams);
    const response = await fetch(resource, options);
    exchanges.push({
      method: options.method ?? 'GET',
      request,
      status: response.status,
      type: response.headers.get('content-type').split(';')[0],
    });
    return response;
  };
  return { fetch: recorded, exchanges };
}

/** sent says of each exchange how it was made, and whether the text went with it. */
export function sent(exchanges) {
  return exchanges.map(({ method, request, status }) => `${method} ${request.query ? 'text' : 'hash'} ${status}`);
}
