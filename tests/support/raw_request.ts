/** Requests that no client would send, as they go over the wire. */

export interface RawAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** Sends a request head as it stands (its lines, without the empty one) and reads the answer. */
export async function sendRaw(origin: string, lines: readonly string[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const head = [...lines, "Connection: close", "", ""].join("\r\n");
  await connection.write(new TextEncoder().encode(head));
  const text = await new Response(connection.readable).text();
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...fields] = text.slice(0, end).split("\r\n");
  const headers = new Headers(fields.map((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), field.slice(colon + 1).trim()] as [string, string];
  }));
  return { status: Number(first.split(" ")[1]), headers, body: text.slice(end + 4) };
}
