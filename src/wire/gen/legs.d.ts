// Generated from proto/ by `npm run gen`; not edited by hand.
import * as $protobuf from "protobufjs/minimal.js";

/** Namespace reedbed. */
export namespace reedbed {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of a ProfilePageRequest.
         * @deprecated Use reedbed.v1.ProfilePageRequest.$Properties instead.
         */
        interface IProfilePageRequest extends reedbed.v1.ProfilePageRequest.$Properties {
        }

        /** Represents a ProfilePageRequest. */
        class ProfilePageRequest {

            /**
             * Constructs a new ProfilePageRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ProfilePageRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ProfilePageRequest authorId. */
            authorId: string;

            /** ProfilePageRequest requesterUserId. */
            requesterUserId: string;

            /** ProfilePageRequest page. */
            page: number;

            /**
             * Creates a new ProfilePageRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ProfilePageRequest instance
             */
            static create(properties: reedbed.v1.ProfilePageRequest.$Shape): reedbed.v1.ProfilePageRequest & reedbed.v1.ProfilePageRequest.$Shape;
            static create(properties?: reedbed.v1.ProfilePageRequest.$Properties): reedbed.v1.ProfilePageRequest;

            /**
             * Encodes the specified ProfilePageRequest message. Does not implicitly {@link reedbed.v1.ProfilePageRequest.verify|verify} messages.
             * @param message ProfilePageRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ProfilePageRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ProfilePageRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ProfilePageRequest & reedbed.v1.ProfilePageRequest.$Shape} ProfilePageRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ProfilePageRequest & reedbed.v1.ProfilePageRequest.$Shape;
        }

        namespace ProfilePageRequest {

            /** Properties of a ProfilePageRequest. */
            interface $Properties {

                /** ProfilePageRequest authorId */
                authorId?: (string|null);

                /** ProfilePageRequest requesterUserId */
                requesterUserId?: (string|null);

                /** ProfilePageRequest page */
                page?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ProfilePageRequest. */
            type $Shape = reedbed.v1.ProfilePageRequest.$Properties;
        }

        /**
         * Properties of a ProfilePageAnswer.
         * @deprecated Use reedbed.v1.ProfilePageAnswer.$Properties instead.
         */
        interface IProfilePageAnswer extends reedbed.v1.ProfilePageAnswer.$Properties {
        }

        /** Represents a ProfilePageAnswer. */
        class ProfilePageAnswer {

            /**
             * Constructs a new ProfilePageAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ProfilePageAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ProfilePageAnswer reedIds. */
            reedIds: string[];

            /** ProfilePageAnswer count. */
            count: number;

            /** ProfilePageAnswer hasMore. */
            hasMore: boolean;

            /** ProfilePageAnswer threadIds. */
            threadIds: string[];

            /**
             * Creates a new ProfilePageAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ProfilePageAnswer instance
             */
            static create(properties: reedbed.v1.ProfilePageAnswer.$Shape): reedbed.v1.ProfilePageAnswer & reedbed.v1.ProfilePageAnswer.$Shape;
            static create(properties?: reedbed.v1.ProfilePageAnswer.$Properties): reedbed.v1.ProfilePageAnswer;

            /**
             * Encodes the specified ProfilePageAnswer message. Does not implicitly {@link reedbed.v1.ProfilePageAnswer.verify|verify} messages.
             * @param message ProfilePageAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ProfilePageAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ProfilePageAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ProfilePageAnswer & reedbed.v1.ProfilePageAnswer.$Shape} ProfilePageAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ProfilePageAnswer & reedbed.v1.ProfilePageAnswer.$Shape;
        }

        namespace ProfilePageAnswer {

            /** Properties of a ProfilePageAnswer. */
            interface $Properties {

                /** ProfilePageAnswer reedIds */
                reedIds?: (string[]|null);

                /** ProfilePageAnswer count */
                count?: (number|null);

                /** ProfilePageAnswer hasMore */
                hasMore?: (boolean|null);

                /** ProfilePageAnswer threadIds */
                threadIds?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ProfilePageAnswer. */
            type $Shape = reedbed.v1.ProfilePageAnswer.$Properties;
        }

        /**
         * Properties of a ReedWatch.
         * @deprecated Use reedbed.v1.ReedWatch.$Properties instead.
         */
        interface IReedWatch extends reedbed.v1.ReedWatch.$Properties {
        }

        /** Represents a ReedWatch. */
        class ReedWatch {

            /**
             * Constructs a new ReedWatch.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ReedWatch.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReedWatch reedId. */
            reedId: string;

            /**
             * Creates a new ReedWatch instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReedWatch instance
             */
            static create(properties: reedbed.v1.ReedWatch.$Shape): reedbed.v1.ReedWatch & reedbed.v1.ReedWatch.$Shape;
            static create(properties?: reedbed.v1.ReedWatch.$Properties): reedbed.v1.ReedWatch;

            /**
             * Encodes the specified ReedWatch message. Does not implicitly {@link reedbed.v1.ReedWatch.verify|verify} messages.
             * @param message ReedWatch message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ReedWatch.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReedWatch message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ReedWatch & reedbed.v1.ReedWatch.$Shape} ReedWatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ReedWatch & reedbed.v1.ReedWatch.$Shape;
        }

        namespace ReedWatch {

            /** Properties of a ReedWatch. */
            interface $Properties {

                /** ReedWatch reedId */
                reedId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReedWatch. */
            type $Shape = reedbed.v1.ReedWatch.$Properties;
        }

        /**
         * Properties of a ReedCounts.
         * @deprecated Use reedbed.v1.ReedCounts.$Properties instead.
         */
        interface IReedCounts extends reedbed.v1.ReedCounts.$Properties {
        }

        /** Represents a ReedCounts. */
        class ReedCounts {

            /**
             * Constructs a new ReedCounts.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ReedCounts.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReedCounts reedId. */
            reedId: string;

            /** ReedCounts echoes. */
            echoes: number;

            /** ReedCounts replies. */
            replies: number;

            /** ReedCounts likes. */
            likes: number;

            /** ReedCounts coveragePercent. */
            coveragePercent: number;

            /** ReedCounts holderServers. */
            holderServers: number;

            /**
             * Creates a new ReedCounts instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReedCounts instance
             */
            static create(properties: reedbed.v1.ReedCounts.$Shape): reedbed.v1.ReedCounts & reedbed.v1.ReedCounts.$Shape;
            static create(properties?: reedbed.v1.ReedCounts.$Properties): reedbed.v1.ReedCounts;

            /**
             * Encodes the specified ReedCounts message. Does not implicitly {@link reedbed.v1.ReedCounts.verify|verify} messages.
             * @param message ReedCounts message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ReedCounts.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReedCounts message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ReedCounts & reedbed.v1.ReedCounts.$Shape} ReedCounts
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ReedCounts & reedbed.v1.ReedCounts.$Shape;
        }

        namespace ReedCounts {

            /** Properties of a ReedCounts. */
            interface $Properties {

                /** ReedCounts reedId */
                reedId?: (string|null);

                /** ReedCounts echoes */
                echoes?: (number|null);

                /** ReedCounts replies */
                replies?: (number|null);

                /** ReedCounts likes */
                likes?: (number|null);

                /** ReedCounts coveragePercent */
                coveragePercent?: (number|null);

                /** ReedCounts holderServers */
                holderServers?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReedCounts. */
            type $Shape = reedbed.v1.ReedCounts.$Properties;
        }

        /**
         * Properties of a SearchRequest.
         * @deprecated Use reedbed.v1.SearchRequest.$Properties instead.
         */
        interface ISearchRequest extends reedbed.v1.SearchRequest.$Properties {
        }

        /** Represents a SearchRequest. */
        class SearchRequest {

            /**
             * Constructs a new SearchRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SearchRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SearchRequest query. */
            query: string;

            /** SearchRequest limit. */
            limit: number;

            /**
             * Creates a new SearchRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SearchRequest instance
             */
            static create(properties: reedbed.v1.SearchRequest.$Shape): reedbed.v1.SearchRequest & reedbed.v1.SearchRequest.$Shape;
            static create(properties?: reedbed.v1.SearchRequest.$Properties): reedbed.v1.SearchRequest;

            /**
             * Encodes the specified SearchRequest message. Does not implicitly {@link reedbed.v1.SearchRequest.verify|verify} messages.
             * @param message SearchRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SearchRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SearchRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SearchRequest & reedbed.v1.SearchRequest.$Shape} SearchRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SearchRequest & reedbed.v1.SearchRequest.$Shape;
        }

        namespace SearchRequest {

            /** Properties of a SearchRequest. */
            interface $Properties {

                /** SearchRequest query */
                query?: (string|null);

                /** SearchRequest limit */
                limit?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SearchRequest. */
            type $Shape = reedbed.v1.SearchRequest.$Properties;
        }

        /**
         * Properties of a FoundPerson.
         * @deprecated Use reedbed.v1.FoundPerson.$Properties instead.
         */
        interface IFoundPerson extends reedbed.v1.FoundPerson.$Properties {
        }

        /** Represents a FoundPerson. */
        class FoundPerson {

            /**
             * Constructs a new FoundPerson.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.FoundPerson.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FoundPerson id. */
            id: string;

            /** FoundPerson username. */
            username: string;

            /**
             * Creates a new FoundPerson instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FoundPerson instance
             */
            static create(properties: reedbed.v1.FoundPerson.$Shape): reedbed.v1.FoundPerson & reedbed.v1.FoundPerson.$Shape;
            static create(properties?: reedbed.v1.FoundPerson.$Properties): reedbed.v1.FoundPerson;

            /**
             * Encodes the specified FoundPerson message. Does not implicitly {@link reedbed.v1.FoundPerson.verify|verify} messages.
             * @param message FoundPerson message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.FoundPerson.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FoundPerson message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.FoundPerson & reedbed.v1.FoundPerson.$Shape} FoundPerson
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.FoundPerson & reedbed.v1.FoundPerson.$Shape;
        }

        namespace FoundPerson {

            /** Properties of a FoundPerson. */
            interface $Properties {

                /** FoundPerson id */
                id?: (string|null);

                /** FoundPerson username */
                username?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FoundPerson. */
            type $Shape = reedbed.v1.FoundPerson.$Properties;
        }

        /**
         * Properties of a SearchAnswer.
         * @deprecated Use reedbed.v1.SearchAnswer.$Properties instead.
         */
        interface ISearchAnswer extends reedbed.v1.SearchAnswer.$Properties {
        }

        /** Represents a SearchAnswer. */
        class SearchAnswer {

            /**
             * Constructs a new SearchAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.SearchAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SearchAnswer people. */
            people: reedbed.v1.FoundPerson.$Properties[];

            /**
             * Creates a new SearchAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SearchAnswer instance
             */
            static create(properties: reedbed.v1.SearchAnswer.$Shape): reedbed.v1.SearchAnswer & reedbed.v1.SearchAnswer.$Shape;
            static create(properties?: reedbed.v1.SearchAnswer.$Properties): reedbed.v1.SearchAnswer;

            /**
             * Encodes the specified SearchAnswer message. Does not implicitly {@link reedbed.v1.SearchAnswer.verify|verify} messages.
             * @param message SearchAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.SearchAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SearchAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.SearchAnswer & reedbed.v1.SearchAnswer.$Shape} SearchAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.SearchAnswer & reedbed.v1.SearchAnswer.$Shape;
        }

        namespace SearchAnswer {

            /** Properties of a SearchAnswer. */
            interface $Properties {

                /** SearchAnswer people */
                people?: (reedbed.v1.FoundPerson.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SearchAnswer. */
            type $Shape = reedbed.v1.SearchAnswer.$Properties;
        }
    }
}
