/** Version of the service, as `/healthz` and the API description say it. */
export { VERSION } from "../lib/base/release.ts";
