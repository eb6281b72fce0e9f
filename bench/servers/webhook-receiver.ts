import { createServer } from 'node:http';

/**
 * Receiver of webhooks that answers 204 at once. It listens on every address of loopback, each of which is a separate host for the sender.
 */
const { PORT: port = '0' } = process.env;

createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(204).end());
}).listen(Number(port), '0.0.0.0');
