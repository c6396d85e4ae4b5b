/** Version of the service, as `/healthz` and the API description say it. */
export const VERSION = "0.1.0";
